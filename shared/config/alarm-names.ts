/** Names of the alarms of one deployment: CDK gives them, `countersign status` looks for them. */

/** No name of a deployment holds a slash, so that no other deployment's alarms begin so. */
export const alarmPrefix = (deployment: string): string => `${deployment}/`;
