import RjsfForm from "@rjsf/core";
import validator from "@rjsf/validator-ajv8";
import { createRoot, type Root } from "react-dom/client";
import { compileForm, ExactNumber, FormStore, parseExact, TRUSTED_BOUNDS } from "@workflow-ui/forms";
import { Form } from "@workflow-ui/forms-react";

/*
 * The page that `npm run corpus:web` drives: shows a schema in our renderer or in react-jsonschema-form, finds the
 * leaves of a value on the screen, and times keystrokes until the frame that shows them.
 */

let root: Root | null = null;
let store: FormStore | null = null;

function mount(element: React.ReactNode): Promise<void> {
  root?.unmount();
  const host = document.getElementById("root");
  if (host === null) throw new Error("no root");
  host.replaceChildren();
  root = createRoot(host);
  root.render(element);
  return frames(2);
}

async function frames(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise((resolve) => requestAnimationFrame(resolve));
}

/** Milliseconds from the call until the first fields are painted, and until the page has nothing left to do. */
async function timeShow(
  how: "ours" | "rjsf",
  schema: object,
): Promise<{ paint: number; interactive: number }> {
  root?.unmount();
  document.getElementById("root")?.replaceChildren();
  await frames(2);
  const began = performance.now();
  const shown = how === "ours" ? showOurs(schema, "") : showRjsf(schema);
  while (document.querySelector("#root input") === null) await frames(1);
  await new Promise<void>((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => resolve();
    requestAnimationFrame(() => channel.port2.postMessage(0));
  });
  const paint = performance.now() - began;
  await shown;
  await new Promise((resolve) => requestIdleCallback(resolve));
  return { paint, interactive: performance.now() - began };
}

/** Shows a schema and a value; says why when the schema is refused. */
async function showOurs(schema: unknown, text: string): Promise<string> {
  const { form, refusal } = compileForm(schema, { formId: "corpus", bounds: TRUSTED_BOUNDS });
  if (form === undefined) return refusal.message;
  store = text === "" ? new FormStore(form) : new FormStore(form, parseExact(text));
  await mount(<Form store={store} onSubmit={() => undefined} />);
  return "";
}

async function showRjsf(schema: object): Promise<void> {
  await mount(<RjsfForm schema={schema} validator={validator} />);
}

/** Pointers of the leaves of the shown value that are neither a control, nor inside a part that is JSON. */
async function missingLeaves(): Promise<{ leaves: number; json: number; missing: string[] }> {
  if (store === null) return { leaves: 0, json: 0, missing: [] };
  const all = leavesOf(store.value, "");
  const missing: string[] = [];
  let json = 0;
  for (const pointer of all) {
    let place = placeOf(pointer);
    for (let tries = 0; place === "none" && tries < 12; tries++) {
      store.reveal(pointer);
      await frames(2);
      place = placeOf(pointer);
    }
    if (place === "json") json++;
    else if (place === "none") missing.push(pointer);
  }
  return { leaves: all.length, json, missing };
}

function placeOf(pointer: string): "control" | "json" | "none" {
  for (let at = pointer; ; at = at.slice(0, at.lastIndexOf("/"))) {
    const holders = [...document.querySelectorAll(`[data-pointer="${CSS.escape(at)}"]`)];
    for (const holder of holders) {
      const nested = (element: Element) => element.closest("[data-pointer]") === holder;
      const own = (selector: string) => [...holder.querySelectorAll(selector)].some(nested);
      if (own("[data-code-editor], pre.field-control")) return "json";
      const controls =
        own("input, select, textarea") ||
        own("code") ||
        (at === pointer && own("button[aria-haspopup=dialog], button.field-control"));
      if (controls && (at === pointer || own("input[type=checkbox], button.field-control"))) return "control";
    }
    if (at === "") return "none";
  }
}

function leavesOf(value: unknown, pointer: string): string[] {
  if (typeof value !== "object" || value === null || value instanceof ExactNumber) return [pointer];
  const entries = Array.isArray(value)
    ? value.map((item, index) => [String(index), item])
    : Object.entries(value);
  if (entries.length === 0) return [];
  return entries.flatMap(([key, item]) =>
    item === undefined
      ? []
      : leavesOf(item, `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`),
  );
}

const times: number[] = [];
let timing = false;

/** From the key event to the frame that shows its effect. */
function timeKeys(): void {
  times.length = 0;
  if (timing) return;
  timing = true;
  window.addEventListener(
    "keydown",
    () => {
      const began = performance.now();
      requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => times.push(performance.now() - began);
        channel.port2.postMessage(0);
      });
    },
    { capture: true },
  );
}

Object.assign(window, { showOurs, timeShow, missingLeaves, timeKeys, keyTimes: () => times.splice(0) });
