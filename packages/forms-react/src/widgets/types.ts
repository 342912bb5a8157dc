import type { Field } from "@workflow-ui/forms";

/** What every widget gets. */
export interface WidgetProps {
  readonly field: Field;
  readonly pointer: string;
  readonly required: boolean;
  /** Drawn as an item of a list, whose row names it already. */
  readonly bare?: boolean;
}
