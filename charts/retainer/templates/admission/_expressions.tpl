{{- /* CEL: whether the request comes from the account of an agent, or from one that is called like it. */}}
{{- define "retainer.cel.isAgent" -}}
request.userInfo.username.startsWith('system:serviceaccount:') && request.userInfo.username.split(':')[3].startsWith('retainer-') && request.userInfo.username != '{{ include "retainer.operatorAccount" . }}'
{{- end }}

{{- /* CEL: username of the account of the agent that an object names. Argument: the name of the variable. */}}
{{- define "retainer.cel.accountOf" -}}
'system:serviceaccount:' + request.namespace + ':retainer-' + {{ . }}.spec.agentRef.name
{{- end }}

{{- /* Binding of a policy. Arguments: root, name; sandboxes: for the namespaces in which code runs. */}}
{{- define "retainer.policyBinding" -}}
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: {{ include "retainer.clusterName" .root }}-{{ .name }}
  labels: {{- include "retainer.labels" (dict "root" .root "component" "admission") | nindent 4 }}
spec:
  policyName: {{ include "retainer.clusterName" .root }}-{{ .name }}
  validationActions: [Deny, Audit]
  {{- $namespaces := list }}
  {{- if .namespaces }}{{ $namespaces = .namespaces }}{{ else if .root.Values.watchNamespaces }}{{ $namespaces = .root.Values.watchNamespaces }}{{ end }}
  {{- with $namespaces }}
  matchResources:
    namespaceSelector:
      matchExpressions:
        - { key: kubernetes.io/metadata.name, operator: In, values: {{ toJson . }} }
  {{- end }}
{{- end }}

{{- /* Head of a policy. Arguments: root, name. */}}
{{- define "retainer.policyHead" -}}
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: {{ include "retainer.clusterName" .root }}-{{ .name }}
  labels: {{- include "retainer.labels" (dict "root" .root "component" "admission") | nindent 4 }}
{{- end }}
