/** Holds the texts that the model reads, to the letter. */
import type { AgentToolCall, AgentToolResult } from './tool.ts';

export const REFUSAL = {
  byPolicy: (name: string) => `Error: tool '${name}' is not allowed by policy`,
  notFound: (name: string) => `Error: tool '${name}' not found`,
  denied: (reason: string) => `Error: approval denied — ${reason}`,
  failed: (error: string) => `Error: ${error}`,
  notPlain: 'Error: the input is not plain data, so that nobody could approve exactly what runs',
  cancelledWaiting: 'Error: cancelled while awaiting approval',
  cancelledBefore: 'Error: cancelled before execution',
} as const;

export const resultOf = (call: AgentToolCall, content: string): AgentToolResult => ({
  type: 'tool_result',
  toolUseId: call.id,
  content,
  isError: false,
});

export const errorResult = (call: AgentToolCall, content: string): AgentToolResult => ({
  ...resultOf(call, content),
  isError: true,
});
