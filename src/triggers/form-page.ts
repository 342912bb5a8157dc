import { randomHex } from "../kernel/ids.ts";
import { isList, isObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { Problem } from "../kernel/errors.ts";
import { hintHolds, labelsTo, type Field } from "../../packages/forms/src/index.ts";
import { labelOf } from "../../packages/forms/src/compile/words.ts";
import { runHasEnded, type RunState } from "../model/states.ts";
import type { TriggerRecord } from "../ports/triggers.ts";
import { SCRIPT, STYLE } from "./form-assets.ts";
import { escaped } from "../kernel/text.ts";
import { PageDrawer } from "./form-draw.ts";
import { idOf } from "./form-html.ts";
import { nameIn, PageReader, type PageForm } from "./form-fields.ts";
import { pointerSegments } from "../kernel/paths.ts";

/*
 * The inputs of a workflow as a page of its own: plain HTML that works without a script, on a phone and in a frame. What
 * people typed is only ever text in it.
 */

/** The button that keeps what was typed and sends nothing. */
export const SAVING = "_save";
/** The token of what was kept, so that it goes when it is sent. */
export const SAVED = "_saved";
/** Names one sending of the page, so that pressing the button twice starts one run. */
export const SENDING = "_sending";

/** The name of a field that people do not see, and that no input has: who fills it in is a program. */
export function trapOf({ document }: PageForm): string {
  const names = new Set(document.fields.map(({ name }) => name));
  return ["website", "homepage", "fax"].find((name) => !names.has(name)) ?? "_website";
}

/** Fields that are shown together. */
interface Step {
  readonly title: string;
  readonly fields: readonly Field[];
}

/** More fields than this are shown in steps. */
const ONE_STEP = 8;
const STEP_SIZE = 6;

/** The steps of a page: the sections that the inputs ask for, or a long form in parts. */
function stepsOf({ document, fields }: PageForm, value: Json): readonly Step[] {
  const named = (document.root.ui?.sections ?? [])
    .filter(({ visible }) => visible === undefined || hintHolds(visible, value, value))
    .map(({ title = "", fields: names }) => ({
      title,
      fields: fields.filter(({ name }) => names.includes(name)),
    }));
  const hidden = new Set((document.root.ui?.sections ?? []).flatMap((section) => section.fields));
  const rest = fields.filter(({ name }) => !hidden.has(name));
  const size = rest.length > ONE_STEP ? STEP_SIZE : ONE_STEP;
  const parts = Array.from({ length: Math.ceil(rest.length / size) }, (_, part) => ({
    title: "",
    fields: rest.slice(part * size, (part + 1) * size),
  }));
  return [...named.filter((step) => step.fields.length > 0), ...parts];
}

/** The page with its form, and what is wrong with what was sent. */
export function formPage(
  { slug, settings }: Pick<TriggerRecord, "slug" | "settings">,
  title: string,
  form: PageForm,
  sent: URLSearchParams = new URLSearchParams(),
  problems: readonly Problem[] = [],
): string {
  const reader = new PageReader(form, sent);
  const drawer = new PageDrawer(form, sent, reader, problems);
  const steps = stepsOf(form, drawer.value);
  const faults = problems.map(({ pointer, message }) => {
    const segments = pointerSegments(pointer)?.slice(1) ?? [];
    const label = labelsTo(form.document, `/${pointer.split("/").slice(2).join("/")}`);
    const text = escaped(segments.length === 0 ? message : `${label}: ${message}`);
    return `<li><a href="#${idOf(segments.reduce(nameIn, ""))}">${text}</a></li>`;
  });
  const trap = `<div class="trap" aria-hidden="true"><input name="${trapOf(form)}" tabindex="-1" autocomplete="off" aria-label="Leave this empty"></div>`;
  const sending = sent.get(SENDING) ?? randomHex(12);
  const saved = sent.get(SAVED);
  const drawn = steps
    .map(({ title: heading, fields }) => ({ heading, content: drawer.draw(fields) }))
    .filter(({ content }) => content.trim() !== "");
  const parts = drawn.map(({ heading, content }, index) => {
    const place = `Step ${index + 1} of ${drawn.length}`;
    const name = heading === "" ? place : `${heading} (${place.toLowerCase()})`;
    return `<fieldset class="step"><legend tabindex="-1">${escaped(name)}</legend>${content}</fieldset>`;
  });
  const isLong = drawn.length > 1;
  return pageOf(
    title,
    `${settings.text === undefined ? "" : `<p>${escaped(settings.text)}</p>`}
${faults.length === 0 ? "" : `<div class="problem" role="alert"><p>Not sent. Fix ${faults.length === 1 ? "this" : "these"}:</p><ul>${faults.join("")}</ul></div>`}
<form method="post" enctype="multipart/form-data" action="/f/${escaped(slug ?? "")}"${form.isLive ? " data-live" : ""}>
<button class="first" tabindex="-1" aria-hidden="true">Send</button>
${isLong ? parts.join("\n") : (drawn[0]?.content ?? "")}
${trap}<input type="hidden" name="${SENDING}" value="${escaped(sending)}">${saved === null ? "" : `<input type="hidden" name="${SAVED}" value="${escaped(saved)}">`}
${form.isLive ? `<button class="look" name="_look" value="1" formnovalidate>Show the fields that fit</button>` : ""}
<button type="submit" class="send">Send</button>${isLong ? `<button name="${SAVING}" value="1" formnovalidate>Save and go on later</button>` : ""}
</form>`,
    settings.logo,
  );
}

/** A page that says one thing, and how far a run is. */
export function notePage(
  title: string,
  text: string,
  {
    link,
    state = "",
    logo,
  }: {
    readonly link?: { readonly href: string; readonly text: string };
    /** What `statePart` gives. */
    readonly state?: string;
    readonly logo?: string | undefined;
  } = {},
): string {
  const further =
    link === undefined ? "" : `<p><a href="${escaped(link.href)}">${escaped(link.text)}</a></p>`;
  return pageOf(title, `${text === "" ? "" : `<p>${escaped(text)}</p>`}${state}${further}`, logo);
}

/** How far a run is. While it goes on, the script of the page looks at `href` again. */
export function statePart(state: RunState, href: string, facts: JsonObject): string {
  const shown = Object.entries(facts)
    .slice(0, MOST_FACTS)
    .map(([name, value]) => {
      const words = typeof value === "string" ? value : JSON.stringify(value);
      return `<dt>${escaped(labelOf(name))}</dt><dd>${escaped(words.slice(0, LONGEST_FACT))}</dd>`;
    });
  const list = shown.length === 0 ? "" : `<dl>${shown.join("")}</dl>`;
  const look = runHasEnded(state) ? "" : ` data-look="${escaped(href)}"`;
  return `<div id="state" role="status"${look}><p>${escaped(STATE_WORDS[state])}</p>${list}</div>`;
}

const MOST_FACTS = 20;
const LONGEST_FACT = 2_000;

function pageOf(title: string, content: string, logo?: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title><style>${STYLE}</style></head>
<body><main tabindex="-1">${logo === undefined ? "" : `<img class="logo" src="${escaped(logo)}" alt="">`}<h1>${escaped(title)}</h1>
${content}
</main><script>${SCRIPT}</script></body></html>
`;
}

/** What a run's state is to people who are not signed in. */
const STATE_WORDS: Readonly<Record<RunState, string>> = {
  queued: "It waits for its turn.",
  running: "It is being worked on.",
  waiting: "It waits, for example for an approval.",
  succeeded: "It is done.",
  failed: "A step of it failed. The people who run this form can see why.",
  timed_out: "It took too long and was stopped.",
  cancelling: "It is being stopped.",
  cancelled: "It was stopped.",
};

/** True for a JSON value that a page's inputs can be. */
export function isInputs(value: Json): value is JsonObject {
  return isObject(value) && !isList(value);
}
