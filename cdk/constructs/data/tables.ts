/** Makes the two tables: rows of `state` change, entries of `audit` are put once. */
import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  type GlobalSecondaryIndexProps,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';

interface GateTablesProps {
  /** Deletion protection off, tables removed with the stack. */
  readonly development: boolean;
  readonly encryptionKey: IKey | undefined;
}

export class GateTables extends Construct {
  readonly state: Table;
  readonly audit: Table;
  /** CloudWatch has series of each index beside those of its table. */
  readonly indexes: readonly { readonly table: Table; readonly indexName: string }[];

  constructor(scope: Construct, id: string, { development, encryptionKey }: GateTablesProps) {
    super(scope, id);
    const indexes: { table: Table; indexName: string }[] = [];
    const addIndex = (table: Table, props: GlobalSecondaryIndexProps) => {
      table.addGlobalSecondaryIndex(props);
      indexes.push({ table, indexName: props.indexName });
    };
    const shared = {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: !development,
      removalPolicy: development ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
      ...(encryptionKey
        ? { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }
        : { encryption: TableEncryption.AWS_MANAGED }),
    };
    this.state = new Table(this, 'State', { ...shared, timeToLiveAttribute: 'ttl' });
    // Sparse: only rows that somebody has to look after carry `look`. The whole row would be written with every change of one.
    addIndex(this.state, {
      indexName: 'byLook',
      partitionKey: { name: 'look', type: AttributeType.STRING },
      sortKey: { name: 'lookAt', type: AttributeType.STRING },
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ['failures', 'quietUntil', 'counted'],
    });
    // Sessions by the time of their last change, and rows of before there was the index above: an index cannot be changed in place.
    addIndex(this.state, {
      indexName: 'byDue',
      partitionKey: { name: 'due', type: AttributeType.STRING },
      sortKey: { name: 'dueAt', type: AttributeType.NUMBER },
      projectionType: ProjectionType.ALL,
    });
    // For questions of later: an update of a stack can add one index at a time, and filling it is slow.
    addIndex(this.state, {
      indexName: 'generic',
      partitionKey: { name: 'gpk', type: AttributeType.STRING },
      sortKey: { name: 'gsk', type: AttributeType.STRING },
      projectionType: ProjectionType.ALL,
    });
    // Entries go when the retention of the policy file is over (G38): the archive takes no such removal for a change.
    this.audit = new Table(this, 'Audit', {
      ...shared,
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
      timeToLiveAttribute: 'ttl',
    });
    addIndex(this.audit, {
      indexName: 'byAgent',
      partitionKey: { name: 'agent', type: AttributeType.STRING },
      sortKey: { name: 'at', type: AttributeType.STRING },
      projectionType: ProjectionType.KEYS_ONLY,
    });
    // The entries of an agent by what they are about: an update of an older stack can add one index.
    addIndex(this.audit, {
      indexName: 'byFacet',
      partitionKey: { name: 'agent', type: AttributeType.STRING },
      sortKey: { name: 'facet', type: AttributeType.STRING },
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ['session', 'waited'],
    });
    this.indexes = indexes;
  }
}
