import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openPage } from "../support/browser.ts";
import { addDevice } from "./passkey-device.ts";
import { startWeb, violations } from "./setup.ts";

let baseUrl: string;

const web = startWeb(async () => {
  // Browsers bind passkeys to names, not to addresses.
  baseUrl = web.service.url.replace("127.0.0.1", "localhost");
});

describe("passkeys in the browser", () => {
  it("owner set-up, sign-in, a second passkey, and an invitation, without any password", async () => {
    const broken: string[] = [];
    const link = await web.service.app.people.ownerLink();
    const here = (url: string) => url.replace("127.0.0.1", "localhost");
    const { page, faults, close } = await openPage(web.browser, { baseUrl });
    const device = await addDevice(page);
    await page.goto(here(link?.url ?? ""));
    await page.getByLabel("E-mail address").fill("olga@example.com");
    await page.getByLabel("Your name").fill("Olga");
    broken.push(...(await violations(page, "join with a passkey")));
    await page.getByRole("button", { name: "Create the owner", exact: true }).click();
    await page.getByRole("button", { name: "Signed in as Olga" }).waitFor();
    assert.equal(await device.credentials(), 1);

    await page.getByRole("button", { name: "Signed in as Olga" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("banner").getByRole("link", { name: "Sign in" }).waitFor();
    await page.goto("/sign-in");
    broken.push(...(await violations(page, "sign-in with a passkey")));
    await device.verifies(false);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("alert").filter({ hasText: "No passkey was given" }).waitFor();
    await device.verifies(true);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("button", { name: "Signed in as Olga" }).waitFor();

    await page.goto("/account");
    await page.getByText("First passkey").waitFor();
    await page.getByLabel("Name of the new passkey").fill("Same device");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("alert").filter({ hasText: "holds a passkey for this account already" }).waitFor();
    await page.getByRole("button", { name: "Remove First passkey" }).click();
    await page.getByRole("alert").filter({ hasText: "only way you can sign in" }).waitFor();
    await page.getByRole("button", { name: "Rename First passkey" }).click();
    await page.getByLabel("New name of First passkey").fill("Laptop");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Laptop").waitFor();
    broken.push(...(await violations(page, "account with passkeys")));

    await page.goto("/people");
    await page.getByLabel("E-mail address").fill("ada@example.com");
    await page.getByLabel("Name", { exact: true }).fill("Ada");
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    const url = await page.getByRole("group", { name: "link" }).innerText();
    const second = await openPage(web.browser, { baseUrl });
    await addDevice(second.page);
    await second.page.goto(here(url.trim()));
    await second.page.getByRole("button", { name: "Join", exact: true }).click();
    await second.page.getByRole("button", { name: "Signed in as Ada" }).waitFor();

    // At an address without a name the page says where passkeys work.
    const third = await web.open();
    await third.page.goto("/sign-in");
    await third.page.getByLabel("Password").waitFor();
    assert.equal(await third.page.getByRole("button", { name: "Sign in with a passkey" }).count(), 0);
    const all = [...broken, ...faults, ...second.faults, ...third.faults];
    await close();
    await second.close();
    await third.close();
    assert.deepEqual(all, []);
  });
});
