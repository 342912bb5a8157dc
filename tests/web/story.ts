import type { Page } from "playwright-core";
import { enterKey } from "./support.ts";

/** What the story needs: an API that a person brings, and the keys. */
interface Story {
  /** The address of the API's description; it has an operation "Place an order" with a field "Item". */
  readonly description: string;
  readonly token: string;
  readonly key: string;
}

/**
 * From an empty service to "my API's POST ran from a form and is a step of a running workflow", as a person clicks it.
 * Used by the test that counts the clicks and by the script that takes the pictures of the README.
 */
export async function walkStory(
  page: Page,
  { description, token, key }: Story,
  picture: (name: string) => Promise<void> = async () => {},
): Promise<void> {
  await enterKey(page, key);
  await page.getByRole("link", { name: "Connections", exact: true }).first().click();
  await page.getByRole("textbox", { name: "Your API, schema or configuration" }).fill(description);
  await page.getByRole("button", { name: "Check address" }).click();
  await page.getByRole("button", { name: "Allow this address" }).click();
  await page.getByText("API with 2 operations").waitFor();
  await page.getByRole("button", { name: "New credential" }).click();
  const dialog = page.getByRole("dialog", { name: "New credential" });
  await dialog.getByRole("textbox", { name: "Token" }).fill(token);
  await dialog.getByRole("button", { name: "Store" }).click();
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  await picture("story-connect");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Orders" }).waitFor();
  await page.getByRole("button", { name: /Place an order/ }).click();
  await page.getByRole("textbox", { name: /^Item/ }).fill("bread");
  await page.getByText("What will be sent").click();
  await page.getByText(/POST 'http:.*\/orders'/).waitFor();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page
    .getByRole("region", { name: "Response" })
    .getByText(/HTTP 201/)
    .waitFor();
  await picture("story-send");
  await page.getByRole("button", { name: "Add to a workflow" }).click();
  await page.getByRole("button", { name: "New workflow" }).click();
  await page.waitForURL("**/workflows/**");
  await page.getByText("no errors").waitFor();
  await picture("story-step");
  await page.getByRole("button", { name: "Run draft" }).click();
  await page.waitForURL("**/runs/run_*");
  await page.getByText("Succeeded").first().waitFor();
  await picture("story-run");
}
