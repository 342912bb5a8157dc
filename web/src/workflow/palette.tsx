import { Search } from "lucide-react";
import { useDeferredValue, useMemo, useState } from "react";
import { useStepTools } from "./inspect/step-tools.ts";
import { dragStep } from "./canvas/canvas-context.ts";
import { KIND_ICONS } from "./canvas/kind-icons.ts";
import { NODE_KINDS, type NodeKind } from "./document/model.ts";
import { EffectBadge } from "../ui/effect-badge.tsx";
import { offeredTools } from "./step-picker.tsx";
import type { ToolInfo } from "../api/tools.ts";

interface Props {
  readonly onPick: (picked: { readonly kind: NodeKind } | { readonly tool: ToolInfo }) => void;
}

const MAX_SHOWN = 60;
const NO_TOOLS: readonly ToolInfo[] = [];
const ROW =
  "flex min-h-9 w-full cursor-grab items-center gap-2 rounded-lg px-2 py-1 text-left text-sm hover:bg-hover [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-ink-3";

/** Kinds of steps and tools beside the canvas: dragged onto it or onto a connection, or added by a click. */
export function Palette({ onPick }: Props) {
  const [query, setQuery] = useState("");
  const tools = useDeferredValue(useStepTools(query), NO_TOOLS);
  const ToolIcon = KIND_ICONS["tool"];
  const wanted = query.toLowerCase().trim();
  const kinds = NODE_KINDS.filter(
    ({ type, label, about }) => type !== "tool" && `${label} ${about}`.toLowerCase().includes(wanted),
  );
  const found = useMemo(
    () =>
      offeredTools(tools, wanted).filter(({ title, name }) =>
        `${title} ${name}`.toLowerCase().includes(wanted),
      ),
    [tools, wanted],
  );
  return (
    <section aria-label="Steps to add" className="flex min-h-0 w-60 shrink-0 flex-col border-r border-line">
      <div className="flex items-center gap-2 border-b border-line px-3">
        <Search aria-hidden className="size-4 text-ink-3" />
        <input
          aria-label="Find a step to add"
          placeholder="Find a step"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          className="h-9 min-w-0 flex-1 bg-transparent outline-none"
        />
      </div>
      <ul className="min-h-0 flex-1 scroll-y p-1.5">
        {kinds.map((kind) => {
          const Icon = KIND_ICONS[kind.type];
          return (
            <li key={kind.type}>
              <button
                type="button"
                draggable
                title={kind.about}
                onDragStart={(event) => dragStep(event.dataTransfer, kind.type, kind.label)}
                onClick={() => onPick({ kind })}
                className={ROW}
              >
                {Icon === undefined ? null : <Icon aria-hidden />}
                <span className="min-w-0 flex-1 truncate">{kind.label}</span>
              </button>
            </li>
          );
        })}
        {found.slice(0, MAX_SHOWN).map((tool) => (
          <li key={tool.name}>
            <button
              type="button"
              draggable
              title={tool.description}
              onDragStart={(event) => dragStep(event.dataTransfer, tool.name, tool.title)}
              onClick={() => onPick({ tool })}
              className={ROW}
            >
              {ToolIcon === undefined ? null : <ToolIcon aria-hidden />}
              <span className="min-w-0 flex-1 truncate">{tool.title}</span>
              <EffectBadge tool={tool} />
            </button>
          </li>
        ))}
        {found.length > MAX_SHOWN ? (
          <li className="px-2 py-1 text-sm text-ink-3">
            and {found.length - MAX_SHOWN} more: type to find one
          </li>
        ) : null}
      </ul>
    </section>
  );
}
