import { external, useExternal } from "../lib/external.ts";

/*
 * Whether the editor shows what programs write: expressions, ids, JSON and pointers. Remembered in this browser.
 */

const NAME = "expert-view";
const isOn = external(stored());

/** Whether the person wants to see it. */
export function useExpertView(): boolean {
  return useExternal(isOn);
}

/** Switches it on or off. */
export function setExpertView(next: boolean): void {
  isOn.set(next);
  try {
    if (next) localStorage.setItem(NAME, "on");
    else localStorage.removeItem(NAME);
  } catch {
    // Storage is forbidden: the choice holds for this page only.
  }
}

function stored(): boolean {
  try {
    return localStorage.getItem(NAME) === "on";
  } catch {
    return false;
  }
}
