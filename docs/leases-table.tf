variable "lease_table_name" {
  type    = string
  default = "leases"
}

resource "aws_dynamodb_table" "leases" {
  name         = var.lease_table_name
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "key"

  # deleting the table would forget the fencing tokens, and with them what they protect
  deletion_protection_enabled = true

  attribute {
    name = "key"
    type = "S"
  }

  ttl {
    attribute_name = "lease_expiry"
    enabled        = true
  }
}
