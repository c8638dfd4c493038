/** The gate before the gate: which tools may run at all, by name alone. */
export interface ToolPolicy {
  isAllowed(toolName: string): boolean;
}

/** Allows every tool. For tests. */
export const AllowAll: ToolPolicy = { isAllowed: () => true };
