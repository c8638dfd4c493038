/** Holds the reader, and the one clock of the page: the server's, so that messages and dates agree. */
import { dateText } from './dates.js';
import { h } from './dom.js';

let ahead = 0;
let reader = '';

/** Takes over with each look at the server. */
export function setReader(user, serverNow) {
  reader = user;
  ahead = serverNow - Date.now();
}

/** Slack marks a mention of oneself, and of a group that one is in. */
export const isMe = (users) => users.includes(reader);

/** A time in the zone of whoever reads; hovering shows it in full. */
export function timeNode(seconds, format, fallback) {
  const options = { now: Date.now() + ahead, fallback };
  const date = new Date(seconds * 1_000);
  if (Number.isNaN(date.getTime())) return h('span', {}, dateText(seconds, format, options));
  const title = dateText(seconds, '{date_long} at {time_secs}', options);
  return h('time', { datetime: date.toISOString(), title }, dateText(seconds, format, options));
}
