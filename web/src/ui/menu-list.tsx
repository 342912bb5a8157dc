import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import { cx } from "../lib/cx.ts";
import type { MenuEntry } from "./menu.tsx";

interface Props {
  readonly trigger: ReactNode;
  readonly entries: readonly MenuEntry[];
  readonly align: "start" | "end";
  readonly note?: ReactNode;
}

/** An open menu and its trigger. Not modal: the page stays scrollable and no style element is needed. */
export function MenuList({ trigger, entries, align, note }: Props) {
  return (
    <DropdownMenu.Root modal={false} defaultOpen>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 min-w-44 rounded-lg border border-line bg-raised p-1 text-base shadow-pop"
        >
          {note === undefined ? null : (
            <>
              <DropdownMenu.Label className="max-w-64 px-2 py-1.5 text-sm">{note}</DropdownMenu.Label>
              <DropdownMenu.Separator className="my-1 h-px bg-line" />
            </>
          )}
          {entries.map((entry, index) =>
            entry === null ? (
              <DropdownMenu.Separator key={`line-${index}`} className="my-1 h-px bg-line" />
            ) : (
              <DropdownMenu.Item
                key={entry.label}
                disabled={entry.disabled === true}
                onSelect={entry.onSelect}
                className={cx(
                  "flex h-8 items-center gap-2 rounded-md px-2 outline-none data-[disabled]:opacity-50 data-[highlighted]:bg-hover [&_svg]:size-4 [&_svg]:text-ink-3",
                  entry.danger === true && "text-bad [&_svg]:text-bad",
                )}
              >
                {entry.icon}
                <span className="flex-1">{entry.label}</span>
              </DropdownMenu.Item>
            ),
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
