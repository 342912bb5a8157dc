import { useOperation } from "../../api/operations.ts";

/** Which toolset a program asks for, or those that it could be given the address of instead. */
export function ToolsetNote({ resource }: { readonly resource: string }) {
  const { data } = useOperation("list_toolsets", {});
  const toolsets = data?.toolsets ?? [];
  const asked = toolsets.find(({ address }) => address === resource);
  if (asked !== undefined)
    return (
      <p className="mt-3">
        It asks for the toolset <strong>{asked.title}</strong> and gets no other tools. {asked.description}
      </p>
    );
  if (toolsets.length === 0) return null;
  return (
    <div className="mt-3 text-sm text-ink-2">
      It gets every tool that your role may use. To give it fewer, do not connect it, and set its address to a
      toolset:
      <ul>
        {toolsets.map(({ name, title, address }) => (
          <li key={name}>
            {title}: <code className="font-mono break-all">{address}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}
