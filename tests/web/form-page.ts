import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { moveTo } from "./support.ts";

/** A page that shows one form of a schema after the other. */
export interface FormPage {
  /** Shows a schema as a form, as a link with the schema in it does; the title tells one form from the one before. */
  show(schema: object): Promise<void>;
  /** The form's value as the page would send it. */
  value(): Promise<unknown>;
  /** Waits until the value is this one. */
  becomes(wanted: unknown): Promise<void>;
}

let shown = 0;

/** Forms on the page at `/connections`. */
export function formPage(page: Page): FormPage {
  const value = async (): Promise<unknown> => {
    const text = await page.getByRole("group", { name: "The value as JSON" }).textContent();
    return JSON.parse(text ?? "");
  };
  return {
    async show(schema) {
      const title = `Form ${++shown}`;
      const address = new URLSearchParams({ schema: JSON.stringify({ ...schema, title }) });
      await moveTo(page, `/connections?add=open#${address.toString()}`);
      await page.locator(`form[aria-label="${title}"]`).waitFor();
    },
    value,
    async becomes(wanted) {
      const end = Date.now() + 120_000;
      for (;;) {
        const now = await value();
        try {
          assert.deepEqual(now, wanted);
          return;
        } catch (error) {
          if (Date.now() > end) throw error;
        }
        await page.waitForTimeout(50);
      }
    },
  };
}
