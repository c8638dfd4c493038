/** Refuses decisions and calls of a model that the contract does not know. */
import { validateDecision, validateToolCall } from 'countersign/task-agent';

const list = { tool_name: 'list_tasks', parameters: { user_id: 'u-1' }, sequence: 1 };
const nothing = { response_text: null, clarification_question: null, pending_action: null };
for (const checked of [
  validateToolCall(list),
  validateToolCall({ tool_name: 'drop_table', parameters: {} }),
  validateDecision({ decision_type: 'INVOKE_TOOL', tool_calls: [list], ...nothing }),
  validateDecision({ decision_type: 'INVOKE_TOOL', tool_calls: null, ...nothing }),
])
  console.log(checked.valid ? 'valid' : checked.problem);

// Prints:
// valid
// unknown_tool
// valid
// missing_tool_calls
