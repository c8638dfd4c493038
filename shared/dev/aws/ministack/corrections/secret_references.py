"""Resolves CloudFormation's `Ref` of a secret to its ARN.

AWS: "When you pass the logical ID of an AWS::SecretsManager::Secret resource to the intrinsic Ref function, the function
returns the ARN of the secret" (docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/
aws-resource-secretsmanager-secret.html#aws-resource-secretsmanager-secret-return-values). The CDK's `grantRead` names
it as the policy's resource. MiniStack returns the secret's name, which no policy can mean.
"""

from ministack.services.cloudformation import provisioners


def apply() -> None:
    handlers = provisioners._RESOURCE_HANDLERS["AWS::SecretsManager::Secret"]
    for operation in ("create", "update", "delete"):
        handlers[operation] = _by_arn(handlers[operation])


def _by_arn(original):
    def handle(*args, **kwargs):
        # MiniStack's own handlers know a secret by its name, the first argument of update and delete.
        done = original(_name(args[0]), *args[1:], **kwargs)
        return (done[1]["Arn"], done[1]) if isinstance(done, tuple) else done

    return handle


def _name(identifier: str) -> str:
    _, found, resource = identifier.partition(":secret:")
    return resource.rpartition("-")[0] if found else identifier
