// Making elements. Text only ever becomes a text node, so nothing that a router
// sends can become markup.

function applyAttribute(element, name, value) {
	if (value === null || value === undefined || value === false)
		return;
	if (name === "class")
		element.className = value;
	else if (name.startsWith("on"))
		element.addEventListener(name.slice(2), value);
	else
		element.setAttribute(name, value === true ? "" : value);
}

export function el(tag, attributes = {}, ...children) {
	const element = document.createElement(tag);

	for (const [name, value] of Object.entries(attributes))
		applyAttribute(element, name, value);
	element.append(...children.flat().filter(
		(child) => child !== null && child !== undefined));
	return element;
}

// Setting text that is there already would drop a reader's selection.
export function setText(element, text) {
	if (element.textContent !== text)
		element.textContent = text;
}
