import { Dialog } from "../ui/dialog.tsx";
import { Kbd } from "../ui/kbd.tsx";
import { PAGES } from "./nav.ts";
import { overlay } from "./overlays.ts";

/** Every shortcut, on one page. */
export function ShortcutHelp() {
  return (
    <Dialog
      reading
      open
      onClose={() => overlay.set("none")}
      title="Keyboard"
      description="Everything here can be done without a mouse."
    >
      <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
        <Group
          title="Anywhere"
          rows={[
            ["Search pages, tools, records", ["Ctrl", "K"]],
            ["Search on this page", ["/"]],
            ["This help", ["?"]],
            ["Close a dialog", ["Esc"]],
          ]}
        />
        <Group
          title="In a form"
          rows={[
            ["Run or send", ["Ctrl", "Enter"]],
            ["Undo", ["Ctrl", "Z"]],
            ["Redo", ["Ctrl", "Shift", "Z"]],
            ["Move an item up", ["Alt", "↑"]],
            ["Move an item down", ["Alt", "↓"]],
          ]}
        />
        <Group
          title="In a workflow"
          rows={[
            ["Add a step", ["N"]],
            ["Copy, paste, duplicate", ["Ctrl", "C / V / D"]],
            ["Delete", ["Del"]],
            ["Save", ["Ctrl", "S"]],
            ["From a step to the graph", ["Esc"]],
          ]}
        />
        <div className="sm:col-span-2">
          <h3 className="mb-1.5 text-sm font-semibold text-ink-2">Go to</h3>
          <ul className="grid gap-x-8 sm:grid-cols-2">
            {PAGES.map((page) => (
              <Row key={page.to} label={page.label} keys={["g", page.key]} />
            ))}
          </ul>
        </div>
      </div>
    </Dialog>
  );
}

function Group({
  title,
  rows,
}: {
  readonly title: string;
  readonly rows: readonly (readonly [string, readonly string[]])[];
}) {
  return (
    <div>
      <h3 className="mb-1.5 text-sm font-semibold text-ink-2">{title}</h3>
      <ul>
        {rows.map(([label, keys]) => (
          <Row key={label} label={label} keys={keys} />
        ))}
      </ul>
    </div>
  );
}

function Row({ label, keys }: { readonly label: string; readonly keys: readonly string[] }) {
  return (
    <li className="flex items-center justify-between gap-3 py-1">
      <span>{label}</span>
      <span className="flex gap-1">
        {keys.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </span>
    </li>
  );
}
