import type { Field } from "#forms/index.ts";
import { Braces, Copy, Ellipsis, Eraser, Link2, RotateCcw, SlashIcon } from "lucide-react";
import { useState } from "react";
import { copyText } from "../lib/clipboard.ts";
import { Menu, type MenuEntry } from "../ui/menu.tsx";
import { useForm } from "./context.ts";
import { copyable, initialAt } from "./logic.ts";

interface Props {
  readonly field: Field;
  readonly pointer: string;
  /** Offered for parts that have fields of their own. */
  readonly onJson?: () => void;
}

const LOOK =
  "grid size-6 place-items-center rounded text-ink-3 opacity-0 group-hover/field:opacity-100 hover:bg-hover hover:text-ink focus-visible:opacity-100 data-[state=open]:opacity-100 pointer-coarse:opacity-100";

/** What can be done with one field. The menu is made on first use: a form may have hundreds. */
export function FieldMenu(props: Props) {
  const [asked, setAsked] = useState(false);
  const { readOnly } = useForm();
  if (readOnly) return null;
  const name = props.field.label || props.field.name || "value";
  if (!asked) {
    return (
      <button
        type="button"
        aria-label={`Actions for ${name}`}
        aria-haspopup="menu"
        onClick={() => setAsked(true)}
        className={LOOK}
      >
        <Ellipsis className="size-4" />
      </button>
    );
  }
  return <OpenMenu {...props} name={name} />;
}

function OpenMenu({ field, pointer, onJson, name }: Props & { readonly name: string }) {
  const { store, document } = useForm();
  const fixed = field.readOnly === true;
  const entries: MenuEntry[] = [
    {
      label: "Copy as JSON",
      icon: <Copy />,
      onSelect: () => void copyText(copyable(document, store.get(pointer), pointer), "Copied as JSON"),
    },
    { label: "Copy pointer", icon: <Link2 />, onSelect: () => void copyText(pointer, "Pointer copied") },
  ];
  if (onJson !== undefined) entries.unshift({ label: "Edit as JSON", icon: <Braces />, onSelect: onJson });
  if (!fixed) {
    entries.push(null, {
      label: "Reset to initial",
      icon: <RotateCcw />,
      onSelect: () => store.set(pointer, initialAt(store.initial, pointer)),
    });
    if (field.nullable)
      entries.push({ label: "Set to null", icon: <SlashIcon />, onSelect: () => store.set(pointer, null) });
    entries.push({
      label: "Clear",
      icon: <Eraser />,
      danger: true,
      onSelect: () => store.set(pointer, undefined),
    });
  }
  return (
    <Menu
      defaultOpen
      trigger={
        <button type="button" aria-label={`Actions for ${name}`} className={LOOK}>
          <Ellipsis className="size-4" />
        </button>
      }
      entries={entries}
    />
  );
}
