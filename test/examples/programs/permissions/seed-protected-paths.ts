/** Checks paths as echo_agent's document does, with a pattern of one's own. */
import { ProtectedPathChecker } from 'countersign/permissions';

const checker = new ProtectedPathChecker().withPattern('**/*.ledger');
for (const path of [
  '/workspace/app/src/main.ts',
  '/workspace/app/.env',
  '/home/me/.ssh/id_ed25519',
  'books/2026.ledger',
])
  console.log(path, checker.check('Write', { file_path: path }).kind);

// Prints:
// /workspace/app/src/main.ts Safe
// /workspace/app/.env Protected
// /home/me/.ssh/id_ed25519 Protected
// books/2026.ledger Protected
