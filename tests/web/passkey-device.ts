import type { Page } from "playwright-core";
import { runAxe, setTheme, settled } from "../support/browser.ts";

/** Gives the page a device that verifies its user by itself. */
export async function addDevice(page: Page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    credentials: async () =>
      (await cdp.send("WebAuthn.getCredentials", { authenticatorId })).credentials.length,
    verifies: (isUserVerified: boolean) =>
      cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified }),
  };
}

/** What axe finds wrong with a page, in light and in dark. */
export async function violations(page: Page, where: string): Promise<readonly string[]> {
  await settled(page);
  const found: string[] = [];
  for (const theme of ["light", "dark"] as const) {
    await setTheme(page, theme);
    for (const { id, where: at } of await runAxe(page))
      found.push(`${where} ${theme} ${id}: ${at.join(" | ")}`);
  }
  return found;
}
