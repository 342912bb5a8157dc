import type { OperationName } from "@workflow-ui/client";
import type { ComponentProps, ReactNode } from "react";
import { useRefusal } from "../api/rights.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";

interface Props extends ComponentProps<typeof Button> {
  readonly op: OperationName;
}

/** A button that calls an operation: for people who may not it is disabled, and says why and whom to ask. */
export function ButtonFor({ op, disabled, title, ...rest }: Props) {
  const refusal = useRefusal()(op);
  return (
    <Button
      {...rest}
      disabled={disabled === true || refusal !== ""}
      title={refusal === "" ? title : refusal}
    />
  );
}

/** What only those see who may call an operation, and guests, who can sign in for it. */
export function For({ op, children }: { readonly op: OperationName; readonly children: ReactNode }) {
  return useRefusal()(op) === "" ? children : null;
}
