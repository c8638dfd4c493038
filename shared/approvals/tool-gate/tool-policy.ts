/** The gate before the gate: which tools may run at all, by name alone. */
export interface ToolPolicy {
  isAllowed(toolName: string): boolean;
}

export const AllowAll: ToolPolicy = { isAllowed: () => true };
