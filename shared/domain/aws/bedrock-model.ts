/** Reads the ids of Amazon Bedrock: of a model, of an inference profile, or the ARN of either. */

/** Models and profiles that Converse takes by their ARN. */
const RESOURCES = [
  'foundation-model',
  'inference-profile',
  'application-inference-profile',
  'provisioned-model',
  'custom-model-deployment',
] as const;
type BedrockResource = (typeof RESOURCES)[number];

/** A model of one region, a profile of several, or either in a region that its ARN names. */
export type BedrockModel =
  | { readonly kind: 'model'; readonly id: string }
  | { readonly kind: 'profile'; readonly id: string; readonly model: string }
  | {
      readonly kind: 'arn';
      readonly arn: string;
      readonly region: string;
      readonly resource: BedrockResource;
      readonly id: string;
    };

/** Before the maker's name, and only there: the part of the world whose regions a profile spreads its calls over. */
const PARTS_OF_THE_WORLD: ReadonlySet<string> = new Set(['apac', 'au', 'ca', 'eu', 'global', 'jp', 'us', 'us-gov']);

const ID = /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+(?::[a-z0-9-]{1,63})*$/;
const ARN = /^arn:aws[a-z-]*:bedrock:([a-z0-9-]{1,25}):(\d{12})?:([a-z-]+)\/([A-Za-z0-9.:-]{1,200})$/;

/** Undefined for what is none, such as a model's name at another provider. */
export function bedrockModel(text: string): BedrockModel | undefined {
  const [, region, account, named, within] = ARN.exec(text) ?? [];
  if (region !== undefined && within !== undefined) {
    const resource = RESOURCES.find((one) => one === named);
    // Models of all accounts have none.
    const isWhole = (resource === 'foundation-model') === (account === undefined);
    return resource && isWhole ? { kind: 'arn', arn: text, region, resource, id: within } : undefined;
  }
  if (!ID.test(text)) return undefined;
  const [first = '', ...rest] = text.split('.');
  if (!PARTS_OF_THE_WORLD.has(first)) return { kind: 'model', id: text };
  return rest.length > 1 ? { kind: 'profile', id: text, model: rest.join('.') } : undefined;
}

/** The id of the model that a profile asks, `*` where Bedrock alone knows it; undefined of no profile. */
export function modelOfProfile(profile: BedrockModel): string | undefined {
  if (profile.kind === 'model') return undefined;
  if (profile.kind === 'profile') return profile.model;
  switch (profile.resource) {
    case 'inference-profile': {
      const inside = bedrockModel(profile.id);
      return inside?.kind === 'profile' ? inside.model : '*';
    }
    case 'application-inference-profile':
      return '*';
    case 'foundation-model':
    case 'provisioned-model':
    case 'custom-model-deployment':
      return undefined;
    default:
      return profile.resource satisfies never;
  }
}
