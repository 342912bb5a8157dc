import type { Full } from "./full-database.ts";

/* Every page of the web app with the addresses to look at, and what holds for each of them. */

const tabs = (address: string, ...names: readonly string[]) => names.map((name) => `${address}?tab=${name}`);

/** For each route of the web app its heading, and the addresses to look at. */
export const ROUTES: Readonly<
  Record<string, { readonly heading: string | RegExp; readonly at: (ids: Full) => readonly string[] }>
> = {
  "/": { heading: "Home", at: () => ["/"] },
  "/welcome": { heading: "Getting started", at: () => ["/welcome"] },
  "/tools": { heading: /^Tools/, at: () => ["/tools"] },
  "/tools/$name": {
    heading: /artifact|workflow/i,
    at: () => ["/tools/create_local_artifact", ...tabs("/tools/get_workflow", "schema", "history")],
  },
  // Links that were given out lead on to the page of connections.
  "/own": { heading: "Connections", at: () => ["/own?kind=url"] },
  "/connections": { heading: "Connections", at: () => ["/connections", "/connections?add=open"] },
  "/connections/$name": {
    heading: /shop|changed/i,
    at: ({ connections }) =>
      connections.flatMap((name) => [
        `/connections/${name}`,
        ...tabs(`/connections/${name}`, "schema", "history", "settings"),
      ]),
  },
  "/workflows": { heading: "Workflows", at: () => ["/workflows", "/workflows?import=open"] },
  "/workflows/$id": {
    heading: /Untitled workflow|Weekly orders/,
    at: ({ orderWorkflowId: id }) => [
      "/workflows/new",
      `/workflows/${id}`,
      `/workflows/${id}?node=may_order`,
      `/workflows/${id}?view=outline`,
      ...tabs(`/workflows/${id}`, "problems", "plan", "triggers", "runs", "versions", "document"),
    ],
  },
  "/templates": { heading: "Templates", at: () => ["/templates", "/templates?id=form-intake-approval"] },
  "/triggers": { heading: "Triggers", at: () => ["/triggers", "/triggers?view=calendar"] },
  "/triggers/$id": {
    heading: /New year|Every day|Twice|Webhook|Form page|Event/,
    at: ({ triggers }) => triggers.map((id) => `/triggers/${id}`),
  },
  "/runs": {
    heading: "Runs",
    at: () => ["/runs", ...["active", "waiting", "ended"].map((state) => `/runs?state=${state}`)],
  },
  "/runs/$id": {
    heading: /./,
    at: ({ runs, orderRunId }) => [
      `/runs/${orderRunId}?step=may_order`,
      ...Object.values(runs).map((id) => `/runs/${id}`),
    ],
  },
  "/approvals": { heading: "Approvals", at: () => ["/approvals"] },
  "/artifacts": { heading: "Artifacts", at: () => ["/artifacts"] },
  "/artifacts/$id": {
    heading: /^(A .*|Empty)$/,
    at: ({ artifacts }) => artifacts.map((id) => `/artifacts/${id}`),
  },
  "/handoffs": {
    heading: "Handoffs",
    at: () => ["/handoffs", ...["out", "in", "receiver"].map((view) => `/handoffs?view=${view}`)],
  },
  "/provenance": {
    heading: "Provenance",
    at: ({ orderRunId }) => ["/provenance", `/provenance?by=runId&value=${orderRunId}`],
  },
  "/receipt": { heading: "Receipt", at: ({ orderRunId }) => ["/receipt", `/receipt?run=${orderRunId}`] },
  "/sign-in": { heading: "Sign in", at: () => ["/sign-in"] },
  "/join": { heading: "One-time link", at: () => ["/join"] },
  "/account": { heading: "Account", at: () => ["/account"] },
  "/tokens": { heading: "Tokens", at: () => ["/tokens"] },
  "/clients": { heading: "Connected clients", at: () => ["/clients"] },
  // Opened by a client that asks a person; the test of the person who signs in is that person.
  "/oauth/requests/$uid": { heading: /./, at: () => [] },
  "/device": { heading: "Connect a program", at: () => ["/device"] },
  "/people": { heading: "People", at: () => ["/people"] },
  "/audit": { heading: "Audit", at: () => ["/audit"] },
  "/guard": {
    heading: "Guard",
    at: () => ["/guard", "/guard?tab=calls&show=allow", ...tabs("/guard", "rules", "controls")],
  },
  "/retention": { heading: "Retention", at: () => ["/retention"] },
  "/demo": { heading: "Demo suite", at: () => ["/demo"] },
  "/developers": {
    heading: "Developers",
    at: () => tabs("/developers", "endpoints", "clients", "events", "discovery", "status", "policy"),
  },
  "/docs": { heading: "Documentation", at: () => ["/docs", "/docs?q=passkeys"] },
  "/docs/$": { heading: /Workflows|Install/, at: () => ["/docs/workflows", "/docs/install"] },
};

/** What a page shows, without the ids that differ from one drawing to the next, but with what is disabled. */
export const CONTENT = `document.querySelector("main")?.outerHTML.replace(/ (id|for|name|popovertarget|aria-(?!disabled)[a-z]+|data-[a-z-]+)="[^"]*"/g, "")`;

/** Elements wider than a phone or too small to press, placeholders that are cut off, and fields that a form has twice. Links in a sentence and the zoomed canvas are left out. */
export const MISFITS = `(() => {
  const found = [];
  const over = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (over > 0) found.push("wider than the screen by " + over);
  const top = document.querySelector("dialog[open]") ?? document;
  for (const form of top.querySelectorAll("form")) {
    const names = [...form.querySelectorAll("[name]:not([type=radio], [type=checkbox])")].map(({ name }) => name);
    for (const name of names) if (names.indexOf(name) !== names.lastIndexOf(name)) found.push("a field twice: " + name);
  }
  const pen = document.createElement("canvas").getContext("2d");
  for (const item of top.querySelectorAll("input[placeholder]")) {
    const { font, paddingLeft, paddingRight } = getComputedStyle(item);
    pen.font = font;
    const room = item.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
    if (item.clientWidth > 0 && pen.measureText(item.placeholder).width > room + 1) found.push("a placeholder that is cut off: " + item.placeholder);
  }
  for (const item of top.querySelectorAll("a, button, input, select, textarea, summary")) {
    const box = item.getBoundingClientRect();
    const inline = getComputedStyle(item).display === "inline";
    if (box.width === 0 || inline || item.closest(".sr-only, .react-flow, label") !== null || !item.checkVisibility({ visibilityProperty: true })) continue;
    if (box.width < 23.5 || box.height < 23.5)
      found.push("a target of " + Math.round(box.width) + " x " + Math.round(box.height) + ": " + (item.ariaLabel ?? item.textContent).slice(0, 40));
  }
  return found;
})()`;
