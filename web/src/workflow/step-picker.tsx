import { Command } from "cmdk";
import { Search } from "lucide-react";
import { useState } from "react";
import { useStepTools } from "./inspect/step-tools.ts";
import { isAlias } from "../pages/tools/tool-groups.ts";
import { Dialog } from "../ui/dialog.tsx";
import { KIND_ICONS } from "./canvas/kind-icons.ts";
import { NODE_KINDS, type NodeKind } from "./document/model.ts";
import { EffectBadge } from "../ui/effect-badge.tsx";
import type { ToolInfo } from "../api/tools.ts";

interface Props {
  readonly title: string;
  /** Only tools, for the body of a map and for changing the tool of a step. */
  readonly toolsOnly?: boolean;
  readonly onClose: () => void;
  readonly onPick: (picked: { readonly kind: NodeKind } | { readonly tool: ToolInfo }) => void;
}

const ITEM =
  "flex min-h-10 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1 data-[selected=true]:bg-hover [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-ink-3";
const GROUP =
  "[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:font-semibold [&_[cmdk-group-heading]]:text-ink-3";

/** Tools that may not be steps: the validator refuses them, so they are not offered. */
const REFUSED = new Set(["approve_step", "reject_step", "execute_mcp_tool", "run_workflow"]);

/** The tools that may be steps, those of connections first; second names of tools only for those who search. */
export function offeredTools(tools: readonly ToolInfo[], query: string): readonly ToolInfo[] {
  return tools
    .filter((tool) => !REFUSED.has(tool.name) && (query.trim() !== "" || !isAlias(tool)))
    .toSorted((a, b) => Number(a.server === "") - Number(b.server === ""));
}

/** Finds the next step: kinds of steps, our own tools and those of connected servers, with what each may change. */
export function StepPicker({ title, toolsOnly = false, onClose, onPick }: Props) {
  const ToolIcon = KIND_ICONS["tool"];
  const [query, setQuery] = useState("");
  const offered = offeredTools(useStepTools(query), query);
  const servers = Map.groupBy(offered, (tool) => tool.server);
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      shape="bare"
      className="sm:w-[min(40rem,calc(100vw-1.5rem))]"
    >
      <Command label={title} loop filter={rank} className="flex max-h-[70dvh] flex-col">
        <div className="flex items-center gap-2.5 border-b border-line px-4">
          <Search aria-hidden className="size-4 text-ink-3" />
          <Command.Input
            data-autofocus
            value={query}
            onValueChange={setQuery}
            placeholder={toolsOnly ? "Find a tool" : "Find a tool or a kind of step"}
            className="h-12 flex-1 bg-transparent text-lg outline-none"
          />
        </div>
        <Command.List className="scroll-y p-1.5">
          <Command.Empty className="px-3 py-8 text-center text-ink-2">Nothing matches.</Command.Empty>
          {toolsOnly ? null : (
            <Command.Group heading="Steps" className={GROUP}>
              {NODE_KINDS.filter((kind) => kind.type !== "tool").map((kind) => {
                const Icon = KIND_ICONS[kind.type];
                return (
                  <Command.Item
                    key={kind.type}
                    value={`step ${kind.label} ${kind.about}`}
                    onSelect={() => onPick({ kind })}
                    className={ITEM}
                  >
                    {Icon === undefined ? null : <Icon aria-hidden />}
                    {kind.label}
                    <span className="min-w-0 flex-1 truncate text-sm text-ink-3">{kind.about}</span>
                  </Command.Item>
                );
              })}
            </Command.Group>
          )}
          {[...servers].map(([server, list]) => (
            <Command.Group
              key={server}
              heading={server === "" ? "Tools of this service" : `Operations of ${server}`}
              className={GROUP}
            >
              {list.map((tool) => (
                <Command.Item
                  key={tool.name}
                  value={`tool ${tool.title} ${tool.name}`}
                  onSelect={() => onPick({ tool })}
                  className={ITEM}
                >
                  {ToolIcon === undefined ? null : <ToolIcon aria-hidden />}
                  <span className="min-w-0 flex-1">
                    <span className="block truncate">{tool.title}</span>
                    <span className="block truncate text-xs text-ink-3">{tool.description}</span>
                  </span>
                  <EffectBadge tool={tool} />
                </Command.Item>
              ))}
            </Command.Group>
          ))}
        </Command.List>
      </Command>
    </Dialog>
  );
}

/** Whole words first: what begins with the query comes before what merely holds its letters. */
function rank(value: string, query: string): number {
  const text = value.toLowerCase();
  const wanted = query.toLowerCase().trim().split(/\s+/);
  if (!wanted.every((word) => text.includes(word))) return 0;
  const [, ...names] = text.split(" ");
  return names.join(" ").startsWith(wanted.join(" ")) ? 1 : text.includes(` ${wanted[0] ?? ""}`) ? 0.8 : 0.5;
}
