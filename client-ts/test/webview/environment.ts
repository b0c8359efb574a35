// What jsdom lacks of a browser: it has no layout, so nothing is scrolled.
Element.prototype.scrollIntoView = () => undefined;
