"""The settings: a window of pages (``dialog``), what a page is (``page``), and which there are (``pages``)."""
