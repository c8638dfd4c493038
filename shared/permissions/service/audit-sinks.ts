/** Sends audit entries of the library to its sinks. An entry never holds the raw input. */
import { count, fn, having, listOf, oneOf } from '../../domain/settings.ts';

/** In the contract's own spelling: this is what its users query. */
export interface PermissionAuditEntry {
  readonly tool_name: string;
  /** Eight hexadecimal digits of SHA-256 over the canonical input. */
  readonly args_hash: string;
  readonly decision: 'allow' | 'deny' | 'require_approval' | 'ask';
  readonly reason: string;
  readonly source: string;
  /** Whole microseconds, zero or more. */
  readonly duration_us: number;
  readonly elapsed_ms: number;
}

/** The port of everything that records decisions. */
export interface PermissionAuditSink {
  record(entry: PermissionAuditEntry): void | Promise<void>;
}

/**
 * A ring of the last entries.
 *
 * @example
 * const auditSink = new InMemoryPermissionAuditSink();
 * await new PermissionService({ auditSink }).check('Read', { file_path: 'a.txt' });
 */
export class InMemoryPermissionAuditSink implements PermissionAuditSink {
  readonly #capacity: number;
  #entries: PermissionAuditEntry[] = [];

  constructor(capacity = 1000) {
    count(capacity, 'capacity');
    this.#capacity = capacity;
  }

  record(entry: PermissionAuditEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length > this.#capacity) this.#entries = this.#entries.slice(-this.#capacity);
  }

  /** Newest first. */
  recent(count: number): readonly PermissionAuditEntry[] {
    return count <= 0 ? [] : this.#entries.slice(-count).reverse();
  }

  /** Oldest first. */
  all(): readonly PermissionAuditEntry[] {
    return [...this.#entries];
  }
}

/** Levels of a log, in ascending order. */
const LEVELS = ['trace', 'debug', 'info', 'warn'] as const;
/** The methods that a logger must have; Powertools' and the console's do. */
export type AuditLogger = {
  readonly [level in (typeof LEVELS)[number]]: (message: string, fields: Record<string, unknown>) => void;
};

/** Lines of JSON; the console's own `trace` would add where it was called from. */
const line = (level: keyof AuditLogger) => (message: string, fields: Record<string, unknown>) =>
  void process.stderr.write(`${JSON.stringify({ level, message, ...fields })}\n`);
const STDERR: AuditLogger = { trace: line('trace'), debug: line('debug'), info: line('info'), warn: line('warn') };

/** Logs every entry at one level; without a logger, as lines of JSON to standard error. */
export class LoggingPermissionAuditSink implements PermissionAuditSink {
  readonly #logger: AuditLogger;
  readonly #level: keyof AuditLogger;

  constructor(logger: AuditLogger = STDERR, level: keyof AuditLogger = 'info') {
    having(...LEVELS)(logger, 'logger');
    oneOf(...LEVELS)(level, 'level');
    this.#logger = logger;
    this.#level = level;
  }

  static info(logger?: AuditLogger): LoggingPermissionAuditSink {
    return new LoggingPermissionAuditSink(logger, 'info');
  }

  static warn(logger?: AuditLogger): LoggingPermissionAuditSink {
    return new LoggingPermissionAuditSink(logger, 'warn');
  }

  static debug(logger?: AuditLogger): LoggingPermissionAuditSink {
    return new LoggingPermissionAuditSink(logger, 'debug');
  }

  static trace(logger?: AuditLogger): LoggingPermissionAuditSink {
    return new LoggingPermissionAuditSink(logger, 'trace');
  }

  record(entry: PermissionAuditEntry): void {
    this.#logger[this.#level]('permission decision', { ...entry });
  }
}

/** Writes every entry to all sinks in order; one that fails stops neither the others nor the decision. */
export class CompositePermissionAuditSink implements PermissionAuditSink {
  readonly #sinks: readonly PermissionAuditSink[];
  readonly #failed: (error: unknown) => void;

  constructor(sinks: readonly PermissionAuditSink[], failed: (error: unknown) => void = () => {}) {
    listOf(having('record'))(sinks, 'sinks');
    fn(failed, 'failed');
    this.#sinks = sinks;
    this.#failed = failed;
  }

  async record(entry: PermissionAuditEntry): Promise<void> {
    for (const sink of this.#sinks) {
      try {
        await sink.record(entry);
      } catch (error) {
        this.#failed(error);
      }
    }
  }
}
