/** Decides by name alone which tools may run at all, before any handler is asked. */
export interface ToolPolicy {
  isAllowed(toolName: string): boolean;
}

/** Allows every tool. For tests. */
export const AllowAll: ToolPolicy = { isAllowed: () => true };
