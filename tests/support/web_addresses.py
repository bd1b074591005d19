"""Addresses that a fetch must refuse, and ordinary ones that it must not: one collection for all tests of it."""

from __future__ import annotations

from ipaddress import IPv4Address

INSIDE = (
    *("127.0.0.1", "127.0.0.2", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "172.16.0.1"),
    *("172.31.255.254", "192.168.0.1", "192.168.255.254", "169.254.169.254", "169.254.170.2", "169.254.0.1"),
    *("100.64.0.1", "100.100.100.200", "100.127.255.254", "192.0.0.192", "192.0.0.1", "192.0.2.7", "198.18.0.1"),
    *("198.19.255.254", "198.51.100.9", "203.0.113.5", "192.88.99.1", "224.0.0.1", "239.255.255.250", "240.0.0.1"),
    *("255.255.255.255", "168.63.129.16"),
)
"""IPv4 addresses that are nobody's on the public internet."""


def _carriers(address: str) -> list[str]:
    """The IPv6 addresses that carry an IPv4 address."""
    number = int(IPv4Address(address))
    high, low = number >> 16, number & 0xFFFF
    return [
        f"::ffff:{address}",
        f"::ffff:{high:x}:{low:x}",
        f"::{address}",
        f"::ffff:0:{high:x}:{low:x}",
        f"64:ff9b::{high:x}:{low:x}",
        f"64:ff9b:1::{high:x}:{low:x}",
        f"2002:{high:x}:{low:x}::1",
        f"2001:0:4136:e378:8000:63bf:{high ^ 0xFFFF:x}:{low ^ 0xFFFF:x}",
        f"2a00:1450:4001:80f:0:5efe:{high:x}:{low:x}",
        f"fe80::5efe:{high:x}:{low:x}",
    ]


INSIDE_6 = (
    *("::", "::1", "::2", "fe80::1", "febf::1", "fec0::1", "fc00::1", "fd00:ec2::254", "fdff::1", "ff02::1", "ff0e::1"),
    *("2001:db8::1", "3fff::1", "100::1", "5f00::1", "2001:2::1", "2001:10::1", "4000::1", "64:ff9b:1::1"),
    *(
        carrier
        for address in ("127.0.0.1", "169.254.169.254", "10.0.0.1", "192.168.1.1")
        for carrier in _carriers(address)
    ),
)
"""IPv6 addresses that are, or that carry such an IPv4 address."""

NUMBERS = (
    *("0x7f.1", "0x7f.0.0.1", "0x7f000001", "0X7F000001", "2130706433", "017700000001", "0177.0.0.1", "0177.0.1"),
    *("127.1", "127.0.1", "127.0.0.01", "0127.0.0.1", "0", "0x0", "0x", "1", "00.0.0.0", "4294967295", "4294967296"),
    *("0xa9fea9fe", "2852039166", "0251.0376.0251.0376", "169.254.43518", "0xa9.0xfe.0xa9.0xfe", "10.1"),
    *("127.0.0.1.1", "1.2.3", "256.0.0.1", "127.0.0.0x1", "192.168.257", "0b1111111.1"),
)
"""Hosts that resolvers and browsers take for numbers, each in its own way."""

NAMES = (
    *("127。0。0。1", "①②⑦.⓪.⓪.①", "127.0.0.1."),
    *("localhost", "localhost.", "LOCALHOST", "a.localhost", "localhost.localdomain", "ip6-localhost", "lοcalhost"),
    *("metadata.google.internal", "metadata", "instance-data", "router.lan", "printer.local", "intranet"),
    *(
        "127.0.0.1#@example.com",
        "127.0.0.1?@example.com",
        "127.0.0.1/@example.com",
        "127.0.0.1.nip.io",
        "192-168-1-1.sslip.io",
        "rebind.example.com",
        "mixed.example.com",
        "v6.example.com",
    ),
    *("mapped.example.com", "nat64.example.com", "zone.example.com"),
)
"""Hosts that lead inside when they are looked up, see ``ANSWERS``, or are written as in other scripts."""

MALFORMED = (
    *("http://user@93.184.216.34/", "http://user:password@example.com/", "http://example.com@127.0.0.1/"),
    *("http://127.0.0.1\\@example.com/", "http://example.com\\@127.0.0.1/"),
    *("http:127.0.0.1/", "http:/127.0.0.1/", "http:///127.0.0.1/", "//127.0.0.1/", "127.0.0.1", "example.com"),
    *("file:///etc/passwd", "file://localhost/etc/passwd", "ftp://example.com/", "gopher://127.0.0.1:70/_x"),
    *("data:text/html,x", "javascript:alert(1)", "jar:http://example.com!/x", "dict://127.0.0.1:11211/stat"),
    *("ldap://127.0.0.1/", "ws://example.com/", "unix:///run/docker.sock", "http+unix://%2frun%2fdocker.sock/info"),
    *("http://exam ple.com/", "http://example.com\t/", "http://exam\nple.com/", "http://127.0.0.1\r\nHost: x/"),
    *("http://exam\u200bple.com/", "http://\u202eexample.com/", "http://example.com\u2028/", "http://example.com:0/"),
    *("http://example.com:22/", "http://example.com:6379/", "http://example.com:11434/", "http://example.com:65536/"),
    *("http://example.com:-1/", "http://example.com:x/", "http://[::1]:8080/", "http://[::1/", "http://::1/"),
    *("http://[fe80::1%25eth0]/", "http://[fe80::1%eth0]/", "http://[127.0.0.1]/", "http://[]/", "http:///", "http://"),
    *("http://127.0.0.1%2f@example.com/", "http://127.0.0.1%00.example.com/", "http://%31%32%37.0.0.1/"),
    *("http://-example.com/", "http://exa..mple.com/", "http://.example.com/", "http://example.com../", ""),
    *("http://" + "a" * 64 + ".com/", "http://" + "a." * 130 + "com/", "http://example.com/" + "a" * 9000),
    *("http://xn--a.com/\x00", "https://example.com;127.0.0.1/", "http://example.com,127.0.0.1/", "HTTP//example.com"),
)
"""What is no address that anybody should fetch."""


def _bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address


REFUSED = tuple(
    dict.fromkeys(
        (
            *(f"http://{_bracketed(address)}/" for address in (*INSIDE, *INSIDE_6)),
            *(f"https://{host}/" for host in (*NUMBERS, *NAMES)),
            *MALFORMED,
        )
    )
)

ANSWERS = {
    "localhost": ["127.0.0.1", "::1"],
    "a.localhost": ["127.0.0.1"],
    "localhost.localdomain": ["127.0.0.1"],
    "ip6-localhost": ["::1"],
    "metadata.google.internal": ["169.254.169.254"],
    "metadata": ["169.254.169.254"],
    "instance-data": ["169.254.169.254"],
    "router.lan": ["192.168.1.1"],
    "printer.local": ["fe80::1"],
    "intranet": ["10.1.2.3"],
    "127.0.0.1.nip.io": ["127.0.0.1"],
    "192-168-1-1.sslip.io": ["192.168.1.1"],
    "rebind.example.com": ["127.0.0.1"],
    "mixed.example.com": ["93.184.216.34", "127.0.0.1"],
    "v6.example.com": ["fd00::1"],
    "mapped.example.com": ["::ffff:127.0.0.1"],
    "nat64.example.com": ["64:ff9b::7f00:1"],
    "zone.example.com": ["fe80::1%eth0"],
    "xn--lcalhost-zdg": ["127.0.0.1"],
}
"""What the name server of the tests says; everybody else is at ``PUBLIC``."""
PUBLIC = ["93.184.216.34"]

ORDINARY = (
    *("https://example.com", "https://example.com/", "http://example.com/index.html", "HTTPS://EXAMPLE.COM/Path"),
    *("https://example.com:443/", "http://example.com:80/x", "http://example.com:443/x", "https://example.com./x"),
    *("https://www.example.co.uk/a/b/c?d=e&f=g#part", "https://en.wikipedia.org/wiki/Rill_(disambiguation)"),
    *("https://de.wikipedia.org/wiki/Köln", "https://ja.wikipedia.org/wiki/日本", "https://example.com/a%20b?q=%C3%A9"),
    *("https://bücher.example/", "https://xn--bcher-kva.example/", "https://münchen.de/straße", "https://例え.テスト/"),
    *("https://faß.de/", "https://www.straße.de/", "https://пример.испытание/путь"),
    *("https://a_b.example.com/", "https://1.example.com/", "https://3com.com/", "https://0xdeadbeef.example.com/"),
    *(
        "https://127.0.0.1.example.com/",
        "https://localhost.example.com/",
        "https://10.example.com/",
        "https://x.y.z.co/",
    ),
    *("https://1e100.net/", "https://a.b.c.d.e.f.example.org/", "https://example.museum/", "https://nic.versicherung/"),
    *("http://93.184.216.34/", "https://8.8.8.8/", "https://1.1.1.1/dns", "http://192.0.1.1/", "http://172.15.0.1/"),
    *(
        "http://172.32.0.1/",
        "http://100.63.255.255/",
        "http://100.128.0.1/",
        "http://198.17.0.1/",
        "http://198.20.0.1/",
    ),
    *("http://169.253.1.1/", "http://11.0.0.1/", "http://128.0.0.1/", "http://192.167.1.1/", "http://223.255.255.1/"),
    *("http://[2606:2800:220:1:248:1893:25c8:1946]/", "https://[2001:4860:4860::8888]/", "https://[2a00:1450::1]/x"),
    *(
        "https://[2620:fe::fe]/",
        "http://[64:ff9b::808:808]/",
        "http://[::ffff:8.8.8.8]/",
        "https://[2400:cb00::1]:443/",
    ),
    *(
        "https://example.com/?url=http://127.0.0.1/",
        "https://example.com/http://localhost/",
        "https://example.com/@user",
    ),
    *("https://example.com/a;b=c,d", "https://example.com/?a[]=1&b='x'", "https://example.com//double//slash"),
    *("https://example.com/#", "https://example.com/?", "  https://example.com/padded  ", "https://t.co/AbC"),
    *("https://example.com/" + "a" * 2000, "https://" + "a" * 63 + ".com/", "https://user.github.io/repo/"),
    *("https://docs.python.org/3/library/asyncio-task.html#asyncio.timeout", "https://arxiv.org/abs/1706.03762"),
)
"""What people and models ask for every day."""
