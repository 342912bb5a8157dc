import { digestOf } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import { nearestNames } from "../kernel/nearest.ts";
import { STUDIO_TEMPLATES, type Section, type StudioTemplate } from "./templates.ts";

const WIDTH = 58;

/** The template with this id, or `not_found` with the nearest names. */
export function studioTemplate(id: string): StudioTemplate {
  const found = STUDIO_TEMPLATES.find((template) => template.id === id);
  if (found) return found;
  const names = STUDIO_TEMPLATES.map((template) => template.id);
  const near = nearestNames(id, names);
  throw new AppError("not_found", `No studio template has the id ${id.slice(0, 80)}.`, {
    nextAction: `Use one of: ${(near.length > 0 ? near : names).join(", ")}.`,
  });
}

/** The template that a request in words speaks for most; the first one when it speaks for none. */
export function templateForPrompt(prompt: string): { template: StudioTemplate; matched: readonly string[] } {
  const words = new Set(prompt.toLowerCase().match(/[a-z]+/g) ?? []);
  const scored = STUDIO_TEMPLATES.map((template) => ({
    template,
    matched: template.keywords.filter((keyword) => words.has(keyword) || words.has(`${keyword}s`)),
  }));
  const [first] = scored.toSorted((a, b) => b.matched.length - a.matched.length);
  if (!first) throw new AppError("not_found", "There are no studio templates.");
  return first;
}

/** A design made without a model: the same request gives the same design and the same id. */
export function designFrom(template: StudioTemplate, prompt: string) {
  const mark = digestOf({ template: template.id, prompt }).slice("sha256:".length, "sha256:".length + 12);
  const title = prompt.trim() === "" ? template.title : prompt.trim().replace(/\s+/g, " ").slice(0, 80);
  return {
    schemaVersion: "suite.design.v1",
    id: `design_${template.id}_${mark}`,
    templateId: template.id,
    title,
    description: template.description,
    sections: template.sections,
    inputs: template.inputs,
    wireframe: wireframe(title, template.sections),
  };
}

/** The template a design id was made from. */
export function templateOfDesign(designId: string): StudioTemplate {
  const match = /^design_(.+)_[0-9a-f]{12}$/.exec(designId);
  return studioTemplate(match?.[1] ?? designId);
}

/** The workflow behind a design, as a draft that nobody has saved. */
export function workflowDraft(template: StudioTemplate) {
  return {
    name: template.title,
    description: template.description,
    inputs: template.inputs,
    nodes: template.nodes,
    edges: template.edges,
    outputs: template.outputs,
    tags: ["studio", template.id],
  };
}

/** The screen as text, for terminals and chats. */
function wireframe(title: string, sections: readonly Section[]): string {
  const line = (text: string): string => `│ ${text.slice(0, WIDTH).padEnd(WIDTH)} │`;
  const rule = (left: string, right: string): string => `${left}${"─".repeat(WIDTH + 2)}${right}`;
  const body = sections.flatMap((section) => [
    rule("├", "┤"),
    line(section.title.toUpperCase()),
    ...itemsOf(section).map(line),
  ]);
  return [rule("┌", "┐"), line(title), ...body, rule("└", "┘")].join("\n");
}

function itemsOf({ kind, items }: Section): readonly string[] {
  switch (kind) {
    case "form":
      return items.map((item) => `${item.padEnd(14)} [${"_".repeat(30)}]`);
    case "actions":
      return [items.map((item) => `( ${item} )`).join("  ")];
    case "table":
      return [items.join(" | "), items.map((item) => "-".repeat(item.length)).join("-+-")];
    case "timeline":
      return [items.join(" → ")];
    case "summary":
    case "notice":
      return items.map((item) => `• ${item}`);
  }
}
