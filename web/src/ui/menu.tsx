import {
  cloneElement,
  lazy,
  Suspense,
  useState,
  type ComponentProps,
  type ReactElement,
  type ReactNode,
} from "react";

const MenuList = lazy(() => import("./menu-list.tsx").then((module) => ({ default: module.MenuList })));

/** One entry of a menu; `null` is a line between groups. */
export type MenuEntry = {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly onSelect: () => void;
} | null;

interface Props {
  /** A button. */
  readonly trigger: ReactElement<ComponentProps<"button">>;
  readonly entries: readonly MenuEntry[];
  readonly align?: "start" | "end";
  /** What is said above the entries. */
  readonly note?: ReactNode;
}

/** A menu that opens from a button. Its code is fetched at the first opening: most pages never open one. */
export function Menu({ trigger, entries, align = "end", note }: Props) {
  const [asked, setAsked] = useState(false);
  const closed = cloneElement(trigger, {
    "aria-haspopup": "menu",
    "aria-expanded": false,
    onClick: () => setAsked(true),
  });
  if (!asked) return closed;
  return (
    <Suspense fallback={closed}>
      <MenuList trigger={trigger} entries={entries} align={align} note={note} />
    </Suspense>
  );
}
