import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import {
  FileInput,
  FilePlus2,
  Keyboard,
  KeyRound,
  Moon,
  Play,
  Search,
  Waypoints,
  Wrench,
} from "lucide-react";
import { useState } from "react";
import { useWorkflows } from "../api/names.ts";
import { useOperation } from "../api/operations.ts";
import { askForKey } from "../api/session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { PAGES } from "./nav.ts";
import { overlay } from "./overlays.ts";
import { nextTheme, setTheme } from "./theme.ts";
import { useTools } from "../api/tools.ts";

const ITEM =
  "flex h-9 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 data-[selected=true]:bg-hover [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-ink-3";
const GROUP =
  "[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:font-semibold [&_[cmdk-group-heading]]:text-ink-3";

/** One field that finds pages, tools, workflows, runs and actions. */
export function Palette() {
  const navigate = useNavigate();
  const tools = useTools();
  const workflows = useWorkflows();
  const runs = useOperation("list_runs", {});
  const [query, setQuery] = useState("");
  const close = () => overlay.set("none");
  const act = (action: () => unknown) => () => {
    close();
    action();
  };
  return (
    <Dialog open onClose={close} title="Search" shape="bare" className="sm:w-[min(40rem,calc(100vw-1.5rem))]">
      <Command label="Search" loop className="flex max-h-[70dvh] flex-col">
        <div className="flex items-center gap-2.5 border-b border-line px-4">
          <Search aria-hidden className="size-4 text-ink-3" />
          <Command.Input
            data-autofocus
            value={query}
            onValueChange={setQuery}
            placeholder="Find or do anything"
            className="h-12 flex-1 bg-transparent text-lg outline-none"
          />
        </div>
        <Command.List className="scroll-y p-1.5">
          <Command.Empty className="px-3 py-8 text-center text-ink-2">Nothing matches.</Command.Empty>
          <Command.Group heading="Pages" className={GROUP}>
            {PAGES.map((page) => (
              <Command.Item
                key={page.to}
                value={`page ${page.label} ${page.about}`}
                onSelect={act(() => navigate({ to: page.to }))}
                className={ITEM}
              >
                <page.icon aria-hidden />
                {page.label}
                <span className="min-w-0 flex-1 truncate text-sm text-ink-3">{page.about}</span>
              </Command.Item>
            ))}
          </Command.Group>
          <Command.Group heading="Actions" className={GROUP}>
            <Command.Item
              value="new workflow create"
              className={ITEM}
              onSelect={act(() => navigate({ to: "/workflows/$id", params: { id: "new" } }))}
            >
              <FilePlus2 aria-hidden /> New workflow
            </Command.Item>
            <Command.Item
              value="import workflow arazzo serverless yaml"
              className={ITEM}
              onSelect={act(() => navigate({ to: "/workflows", search: { import: "open" } }))}
            >
              <FileInput aria-hidden /> Import a workflow
            </Command.Item>
            <Command.Item
              value="enter api key password"
              className={ITEM}
              onSelect={act(() => askForKey("Enter the key to use from now on."))}
            >
              <KeyRound aria-hidden /> Enter an API key
            </Command.Item>
            <Command.Item
              value="theme light dark"
              className={ITEM}
              onSelect={act(() => setTheme(nextTheme()))}
            >
              <Moon aria-hidden /> Switch theme
            </Command.Item>
            <Command.Item
              value="keyboard shortcuts help"
              className={ITEM}
              onSelect={() => overlay.set("help")}
            >
              <Keyboard aria-hidden /> Keyboard shortcuts
            </Command.Item>
          </Command.Group>
          <Command.Group heading="Tools" className={GROUP}>
            {(tools.data ?? []).map((tool) => (
              <Command.Item
                key={tool.name}
                value={`tool ${tool.title} ${tool.name}`}
                onSelect={act(() => navigate({ to: "/tools/$name", params: { name: tool.name } }))}
                className={ITEM}
              >
                <Wrench aria-hidden />
                {tool.title}
                <span className="min-w-0 flex-1 truncate text-right font-mono text-2xs text-ink-3">
                  {tool.name}
                </span>
              </Command.Item>
            ))}
          </Command.Group>
          <Command.Group heading="Workflows" className={GROUP}>
            {workflows.data?.items.map((item) => (
              <Command.Item
                key={item.id}
                value={`workflow ${item.name} ${item.id}`}
                onSelect={act(() => navigate({ to: "/workflows/$id", params: { id: item.id } }))}
                className={ITEM}
              >
                <Waypoints aria-hidden />
                {item.name}
              </Command.Item>
            ))}
          </Command.Group>
          <Command.Group heading="Runs" className={GROUP}>
            {runs.data?.runs.map((item) => (
              <Command.Item
                key={item.id}
                value={`run ${item.id} ${item.status}`}
                onSelect={act(() => navigate({ to: "/runs/$id", params: { id: item.id } }))}
                className={ITEM}
              >
                <Play aria-hidden />
                <span className="font-mono text-sm">{item.id}</span>
                <span className="text-sm text-ink-3">{item.status}</span>
              </Command.Item>
            ))}
          </Command.Group>
        </Command.List>
      </Command>
    </Dialog>
  );
}
