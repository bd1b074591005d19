"""The page of how all providers are reached from the next request on: proxy, certificates, patience.

Above: ``core/config/network``, ``services``. Guarantee: the proxy's password goes to the key store, never to a file.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QFileDialog, QLineEdit

from rillet.app import coroutines
from rillet.app.settings.fields import ChoiceBox
from rillet.app.settings.page import Page
from rillet.core.config.network import proxy_account, proxy_trouble
from rillet.core.config.settings import NetworkSettings
from rillet.widgets.blocks.button import Button

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from rillet.app.services import Services
    from rillet.widgets.theme.palette import Theme


class NetworkPage(Page):
    """Everything of the network; kept by a button, because half an address is none."""

    def __init__(self, services: Services, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._services = services
        self._add_proxy()
        self._add_certificates()
        self._add_patience()
        self._save = Button("", self.tr("Save"), look="filled")
        self._save.clicked.connect(self.save)
        self.wide_buttons(self._save)
        self._result = self.note("")
        self.say(self._result, "")
        self.showSettings()
        self._proxy.currentIndexChanged.connect(self.noteProxy)

    def _add_proxy(self) -> None:
        self.section(
            self.tr("Proxy"), self.tr("Servers on this machine are always reached directly, whatever is set here.")
        )
        self._proxy = ChoiceBox()
        self._proxy.offer(
            ("system", self.tr("As the system says")), ("none", self.tr("None")), ("url", self.tr("This one"))
        )
        self.row(self.tr("&Proxy"), self._proxy)
        self._url, self._user, self._password, self._no_proxy = QLineEdit(), QLineEdit(), QLineEdit(), QLineEdit()
        self._url.setPlaceholderText("http://proxy.example.com:3128")
        self._password.setEchoMode(QLineEdit.EchoMode.Password)
        self._no_proxy.setPlaceholderText("intranet.example.com, 10.0.0.0/8")
        self.row(self.tr("&Address"), self._url, self.tr("It begins with http://, https:// or socks5://."))
        self.row(self.tr("&User"), self._user)
        self.row(self.tr("Pass&word"), self._password, self.tr("It is kept in the key store of this system."))
        self.row(self.tr("&Not for"), self._no_proxy, self.tr("Hosts and networks, separated by commas."))

    def _add_certificates(self) -> None:
        self.section(self.tr("Certificates"))
        self._ca_file = QLineEdit()
        self._ca_note = self.row(
            self.tr("Own au&thorities"),
            self._ca_file,
            self.tr("A file (PEM) that is trusted beside those of the system, as companies have. Checks stay on."),
        )
        choose = Button("folder", self.tr("Choose a file…"), look="outlined")
        choose.clicked.connect(self.chooseFile)
        self.buttons(choose)

    def _add_patience(self) -> None:
        self.section(self.tr("Patience"))
        self._connect, self._idle = ChoiceBox(), ChoiceBox()
        for seconds in (5, 15, 30, 60, 120):
            self._connect.addItem(self.tr("{number} seconds").format(number=seconds), str(seconds))
        for seconds in (60, 120, 300, 600, 1800, 3600):
            words = self.tr("1 minute") if seconds == 60 else self.tr("{number} minutes").format(number=seconds // 60)
            self._idle.addItem(words, str(seconds))
        self.row(self.tr("To &connect"), self._connect)
        self.row(
            self.tr("For the next w&ords"),
            self._idle,
            self.tr("Models that think, and local ones with a long text to read, are silent for minutes."),
        )

    @Slot()
    def showSettings(self) -> None:
        """Show what is set."""
        network = self._services.settings.network
        self._proxy.show_value(network.proxy)
        self._url.setText(network.proxy_url)
        self._user.setText(network.proxy_user)
        account = proxy_account(network)
        has_password = account is not None and self._services.keys.home(account) is not None
        self._password.setPlaceholderText("••••••••" if has_password else "")
        self._no_proxy.setText(", ".join(network.no_proxy))
        self._ca_file.setText(network.ca_file)
        for box, seconds in ((self._connect, network.connect_timeout), (self._idle, network.idle_timeout)):
            value = f"{seconds:g}"
            if box.findData(value) < 0:  # somebody wrote it into the file
                box.addItem(self.tr("{number} seconds").format(number=value), value)
            box.show_value(value)
        self.noteProxy()

    @Slot()
    def noteProxy(self) -> None:
        """The fields of a proxy matter where one is named."""
        for field in (self._url, self._user, self._password, self._no_proxy):
            field.setEnabled(self._proxy.value == "url")

    @Slot()
    def chooseFile(self) -> None:
        """Choose the file of authorities."""
        dialog = QFileDialog(self, self.tr("Certificate authorities"), str(Path(self._ca_file.text()).parent))
        dialog.setNameFilters([self.tr("Certificates (*.pem *.crt *.cer)"), self.tr("All files (*)")])
        dialog.fileSelected.connect(self._ca_file.setText)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @Slot()
    def save(self) -> None:
        """Keep all of it, and use it from the next request on."""
        url, ca_file = self._url.text().strip(), self._ca_file.text().strip()
        if self._proxy.value == "url" and (trouble := proxy_trouble(url)) is not None:
            self.say(self._result, self.tr("The proxy's address: {trouble}").format(trouble=trouble), trouble=True)
            return
        if ca_file and not Path(ca_file).is_file():
            self.say(self._result, self.tr("There is no file {path}.").format(path=ca_file), trouble=True)
            return
        hosts = tuple(host for part in self._no_proxy.text().split(",") if (host := part.strip()))
        network = NetworkSettings(
            proxy=self._proxy.currentData(),
            proxy_url=url if proxy_trouble(url) is None else "",
            proxy_user=self._user.text().strip(),
            no_proxy=hosts,
            ca_file=ca_file,
            connect_timeout=float(self._connect.value),
            idle_timeout=float(self._idle.value),
        )
        before, account = proxy_account(self._services.settings.network), proxy_account(network)
        self._services.change(network=network)
        if account is not None and self._password.text():
            coroutines.start(self._services.keys.keep(account, self._password.text()))
        if before not in (None, account):
            coroutines.start(self._forget(before))
        self._password.clear()
        self.showSettings()
        self.say(self._result, self.tr("Saved. It holds from the next request on."))

    async def _forget(self, account: str) -> None:
        await self._services.keys.forget(account)
