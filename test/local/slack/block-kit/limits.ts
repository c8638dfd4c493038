/**
 * Holds Slack's documented Block Kit limits, in characters for text and in items for lists.
 *
 * The numbers agree with the limit tables of the `slackblocks` package. Text is counted as it is sent, escapes
 * included.
 */
export const LIMITS = {
  messageBlocks: 50,
  viewBlocks: 100,
  /** Undocumented: chat.postMessage refuses longer blocks with msg_blocks_too_long (slackapi/bolt-js issues 2509, 2867). */
  messageBlocksLength: 13_200,
  messageText: 40_000,
  updateText: 4_000,
  id: 255,
  text: 3_000,
  headerText: 150,
  sectionFields: 10,
  sectionFieldText: 2_000,
  contextElements: 10,
  actionsElements: 25,
  imageUrl: 3_000,
  altText: 2_000,
  imageTitle: 2_000,
  inputLabel: 2_000,
  inputHint: 2_000,
  markdownText: 12_000,
  tableRows: 100,
  tableColumns: 20,
  buttonText: 75,
  buttonValue: 2_000,
  buttonUrl: 3_000,
  accessibilityLabel: 75,
  confirmTitle: 100,
  confirmText: 300,
  confirmButton: 30,
  optionText: 75,
  optionValue: 150,
  optionDescription: 75,
  optionUrl: 3_000,
  optionGroupLabel: 75,
  selectOptions: 100,
  choiceOptions: 10,
  overflowOptions: 5,
  placeholder: 150,
  inputLength: 3_000,
  viewTitle: 24,
  privateMetadata: 3_000,
} as const;
