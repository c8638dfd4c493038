/** Logs and metrics of every function, one JSON line an event. Nothing of a message's content goes into either. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

const NAMESPACE = 'Countersign';

export const logger = new Logger({ serviceName: 'countersign' });
const metrics = new Metrics({ namespace: NAMESPACE, serviceName: 'countersign' });

export function count(name: string, value = 1, dimensions: Record<string, string> = {}): void {
  const metric = Object.keys(dimensions).length ? metrics.singleMetric() : metrics;
  for (const [key, text] of Object.entries(dimensions)) metric.addDimension(key, text);
  metric.addMetric(name, MetricUnit.Count, value);
}

/** Writes what was counted. The library warns in plain text where there is nothing, and each line has to be one JSON object (AU-014). */
export function publishMetrics(): void {
  if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
}

/** What may be logged of a fault: its kind, never its text, which may quote what was sent. */
export function faultName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
