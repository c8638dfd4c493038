/**
 * Logs and metrics of every function, one JSON line an event.
 * Nothing of a message's content goes into either.
 */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { METRICS, type MetricName, NAMESPACE } from '../../shared/config/metric-names.ts';
import type { Figures } from './figures.ts';

/** The deployment's name: two gates of one account have series of their own. */
const serviceName = process.env['DEPLOYMENT'] || 'countersign';

export const logger = new Logger({ serviceName });
const metrics = new Metrics({ namespace: NAMESPACE, serviceName });

/** Kept until `publishMetrics`; with dimensions, written at once. */
export function count(name: MetricName, value = 1, dimensions?: Readonly<Record<string, string>>): void {
  if (dimensions) measure({ values: { [name]: value }, by: [dimensions] });
  else metrics.addMetric(name, METRICS[name].unit, value);
}

/** Written at once: as a total, and once for each set of dimensions. `ids` are found in the log, and are no dimensions. */
export function measure({ values, by }: Figures, ids: Readonly<Record<string, string>> = {}): void {
  const entries = Object.entries(values) as [MetricName, number][];
  if (entries.length === 0) return;
  const line = new Metrics({ namespace: NAMESPACE, serviceName });
  for (const dimensions of [{}, ...by]) line.addDimensions(dimensions);
  for (const [name, value] of entries) line.addMetric(name, METRICS[name].unit, value);
  for (const [name, id] of Object.entries(ids)) line.addMetadata(name, id);
  line.publishStoredMetrics();
}

/** Writes what was counted. The library warns in plain text where there is nothing, and each line has to be one JSON object (AU-014). */
export function publishMetrics(): void {
  if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
}

/** An agent's own queue took no decision for too long; an alarm names the agent. */
export function replyLost(agent: string): void {
  count('RepliesLost', 1, { agent });
  logger.error("decisions could not be sent to an agent's queue; its record has them", { agent });
}

/** Returns the part of a fault that may be logged: its kind, never its text, which may quote the message. */
export function faultName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
