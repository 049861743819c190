#pragma once
#include <mysql.h>
#include <mysqld_error.h>
#include <errmsg.h>
