import { Button } from "@workflow-ui/forms-react/ui/button.tsx";

/** One field for the new name of something in a list. */
export function RenameForm({
  name,
  onRename,
}: {
  readonly name: string;
  readonly onRename: (next: string) => void;
}) {
  return (
    <form
      className="flex min-w-0 flex-1 basis-52 gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        const next = new FormData(event.currentTarget).get("name");
        if (typeof next === "string") onRename(next);
      }}
    >
      <input
        aria-label={`New name of ${name}`}
        name="name"
        defaultValue={name}
        className="field-control min-w-0"
        autoFocus
      />
      <Button size="sm" type="submit">
        Save
      </Button>
    </form>
  );
}
