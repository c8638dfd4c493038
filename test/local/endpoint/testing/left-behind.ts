/** Looks for ports and processes that an endpoint left behind. */
import { connect } from 'node:net';

export const listens = (port: number) =>
  new Promise<boolean>((done) => {
    const socket = connect(port, '127.0.0.1', () => done(!socket.destroy() || true)).on('error', () => done(false));
  });

/** Whether a process of the group that `leader` leads still runs. */
export const groupIsThere = (leader: number): boolean => {
  try {
    return process.kill(-leader, 0);
  } catch {
    return false;
  }
};
