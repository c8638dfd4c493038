/** Gives each test file of a shared process modules, an environment and real time of its own. */
import { vi } from 'vitest';

vi.resetModules();
vi.useRealTimers();
vi.restoreAllMocks();
vi.unstubAllGlobals();

/** This module is loaded anew for each file, too; the global object stays. */
const shared = globalThis as { countersignEnvironment?: NodeJS.ProcessEnv };
shared.countersignEnvironment ??= { ...process.env };
for (const name of Object.keys(process.env))
  if (!Object.hasOwn(shared.countersignEnvironment, name)) delete process.env[name];
Object.assign(process.env, shared.countersignEnvironment);
