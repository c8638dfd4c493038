/** Stores the task agent's replies in memory, each with its message and text. */
import type { MessageSender, Reply, ReplyMessage, ReplyStore, StoredReply } from '../../ports/conversation.ts';

export function memoryReplyStore(): ReplyStore {
  const replies = new Map<string, StoredReply>();
  return {
    read: async (pid) => replies.get(pid),
    put: async (pid, reply) => {
      replies.set(pid, { ...reply });
    },
  };
}

interface ShownReply extends ReplyMessage {
  readonly thread?: string | undefined;
  reply: Reply;
}

/** A chat whose messages are numbered by `nextTs`, as the people's own are. */
export function memorySpeaker(nextTs: () => string) {
  const shown: ShownReply[] = [];
  const whispers: { readonly user: string; readonly text: string }[] = [];
  const speaker: MessageSender = {
    async send({ channel, thread }, reply) {
      const message = { channel, ts: nextTs() };
      shown.push({ ...message, thread, reply });
      return message;
    },
    async change({ channel, ts }, reply) {
      const message = shown.find((one) => one.channel === channel && one.ts === ts);
      if (message) message.reply = reply;
    },
    async whisper(_, user, text) {
      whispers.push({ user, text });
    },
  };
  return { speaker, shown, whispers };
}
