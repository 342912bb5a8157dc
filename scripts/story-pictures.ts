import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ensureBuilt, openPage, settled, startBrowser } from "../tests/support/browser.ts";
import { startService } from "../tests/support/service.ts";
import { startOrders, TOKEN } from "../tests/web/orders-api.ts";
import { walkStory } from "../tests/web/story.ts";
import { animatedPicture } from "./animated-picture.ts";

/*
 * `npm run screenshots:story`: walks from an empty service to a workflow that runs an API's POST, as the test does,
 * and writes the pictures of each part and the one of the README, which shows them in turn, to docs/images.
 */

const folder = fileURLToPath(new URL("../docs/images/", import.meta.url));
await ensureBuilt();
const [service, browser, api] = await Promise.all([startService(), startBrowser(), startOrders()]);
try {
  const { page } = await openPage(browser, { baseUrl: service.url, width: 1280, height: 800 });
  await page.goto("/");
  const story = { description: `${api.url}/openapi.json`, token: TOKEN, key: service.key };
  await walkStory(page, story, async (name) => {
    await settled(page);
    await page.waitForTimeout(700);
    await page.screenshot({ path: `${folder}${name}.png` });
  });
} finally {
  await browser.close();
  await service.close();
  await api.close();
}
const PARTS = ["story-connect", "story-send", "story-step", "story-run"];
const pictures = PARTS.map((name) => readFileSync(`${folder}${name}.png`));
writeFileSync(`${folder}story.png`, animatedPicture(pictures, 2_500));
