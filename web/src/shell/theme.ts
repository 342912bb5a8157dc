import { external } from "../lib/external.ts";

/** What the person chose; `system` follows the device. */
export type Theme = "system" | "light" | "dark";

/** The chosen theme. */
export const theme = external<Theme>(stored());

/** Changes the theme and remembers it. */
export function setTheme(next: Theme): void {
  theme.set(next);
  const root = document.documentElement;
  if (next === "system") delete root.dataset.theme;
  else root.dataset.theme = next;
  try {
    if (next === "system") localStorage.removeItem("theme");
    else localStorage.setItem("theme", next);
  } catch {
    // Storage is forbidden: the choice holds for this page only.
  }
}

/** The next of the three. */
export function nextTheme(): Theme {
  const order = { system: "light", light: "dark", dark: "system" } as const;
  return order[theme.get()];
}

function stored(): Theme {
  const given = document.documentElement.dataset.theme;
  return given === "light" || given === "dark" ? given : "system";
}
