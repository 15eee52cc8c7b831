// The button that goes from automatic to light to dark and remembers it.

const ORDER = ["auto", "light", "dark"];
const LABELS = { auto: "Auto", light: "Light", dark: "Dark" };

// What is drawn on a canvas does not follow the stylesheet by itself.
export const themeChanges = new EventTarget();

function storeTheme(theme) {
	try {
		localStorage.setItem("arancini.theme", theme);
	} catch {
		// Forbidden storage is no reason not to switch.
	}
}

function labelButton(button, theme) {
	button.textContent = LABELS[theme];
	button.setAttribute("aria-label", `Theme: ${LABELS[theme]}`);
}

export function connectThemeSwitch(button) {
	const root = document.documentElement;

	labelButton(button, root.dataset.theme);
	button.addEventListener("click", () => {
		const at = ORDER.indexOf(root.dataset.theme);

		root.dataset.theme = ORDER[(at + 1) % ORDER.length];
		storeTheme(root.dataset.theme);
		labelButton(button, root.dataset.theme);
		themeChanges.dispatchEvent(new Event("change"));
	});
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change",
		() => themeChanges.dispatchEvent(new Event("change")));
}
