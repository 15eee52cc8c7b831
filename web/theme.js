// Apply the remembered theme before anything is painted. "auto" follows
// prefers-color-scheme; theme-switch.js changes and remembers it.
try {
	document.documentElement.dataset.theme =
		localStorage.getItem("arancini.theme") ?? "auto";
} catch {
	// Storage may be forbidden; then the theme lasts as long as the page.
	document.documentElement.dataset.theme = "auto";
}
