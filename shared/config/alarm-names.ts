/** Names the alarms of one deployment: CDK gives the names, `countersign status` looks for them. */

/** No name of a deployment holds a slash, so that no other deployment's alarms begin so. */
export const alarmPrefix = (deployment: string): string => `${deployment}/`;

/** An alarm that raises a page of several causes, and tells nobody itself. `name`: without the deployment's prefix. */
export const isCause = (name: string): boolean => name.startsWith('cause/');
export const isPage = (name: string): boolean => name.startsWith('page/');
